"""Lines from a client, and answers to a client that reads slowly or has gone."""

from __future__ import annotations

import os
import threading

import anyio
import pytest

from graphground.server.transports.stdio import READ_BYTES, Lines, Wire


@pytest.mark.anyio
async def test_lines_of_any_length_arrive_in_order_and_the_last_needs_no_line_break() -> None:
    reading, writing = os.pipe()
    sent = ["a", "", "é" * READ_BYTES, *map(str, range(3_000)), "without an end"]

    def send() -> None:
        rest = memoryview("\n".join(sent).encode())
        while rest:
            rest = rest[os.write(writing, rest[:7_001]) :]
        os.close(writing)

    threading.Thread(target=send, daemon=True).start()
    with anyio.fail_after(60):
        assert [line async for line in Lines(reading)] == sent
    os.close(reading)


@pytest.mark.anyio
async def test_an_answer_to_a_client_that_does_not_read_is_written_whole_without_blocking_the_loop() -> None:
    reading, writing = os.pipe()
    wire, text = Wire(writing), "x" * 3_000
    turned = 0

    def receive() -> bytes:
        parts = []
        while data := os.read(reading, 65_536):
            parts.append(data)
        return b"".join(parts)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:

            async def write() -> None:
                for _ in range(200):
                    await wire.write(text)

            group.start_soon(write)
            for _ in range(50):  # the pipe is full by now, and this loop still turns
                await anyio.sleep(0)
                turned += 1
            received: list[bytes] = []
            thread = threading.Thread(target=lambda: received.append(receive()), daemon=True)
            thread.start()
        os.close(writing)
        await anyio.to_thread.run_sync(thread.join, 30)
    assert turned == 50
    assert received == [text.encode() * 200]
    os.close(reading)
