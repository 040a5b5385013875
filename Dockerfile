# graphground over HTTP in a container. It was written without a container engine at hand: it has not been built yet.
#   docker build -t graphground .
#   docker run -p 127.0.0.1:8300:8300 -e GRAPHGROUND_TOKEN=… -v graphground:/data graphground
FROM python:3.13-slim
WORKDIR /app
COPY requirements/run.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation . \
 && useradd --create-home graphground && mkdir /data && chown graphground /data
USER graphground
ENV GRAPHGROUND_HOME=/data
VOLUME /data
EXPOSE 8300
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8300/health', timeout=5)"]
# Without GRAPHGROUND_TOKEN (16 characters or more) the server reports the missing token and stops.
CMD ["graphground", "serve", "--transport", "http", "--host", "0.0.0.0", "--allowed-host", "localhost:*"]
