// The steps of both TypeScript clients: list everything, call everything, record the answers and the exceptions.

import { readFile } from 'node:fs/promises';

const thrown = error => ({ name: error.name, message: error.message, code: error.code, data: error.data });

export async function drive(client, call) {
    const { calls } = JSON.parse(await readFile(process.argv[2], 'utf-8'));
    const tools = await client.listTools(); // from here on the client checks answers against the output schemas
    const answers = [];
    for (const { tool, arguments: given } of calls) {
        try {
            answers.push({ answer: await call(tool, given) });
        } catch (error) {
            answers.push({ thrown: thrown(error) });
        }
    }
    const continued = [];
    const filler = 'x'.repeat(6_000); // so that thirty rows exceed the size of an answer
    const query = `MATCH (t:Team) WITH t ORDER BY t.name RETURN t.name, '${filler}' AS filler`;
    let page = await call('execute_cypher', { graph: 'nba', query, limit: 100 });
    for (;;) {
        continued.push(page.structuredContent);
        if (!page.structuredContent.cursor) break;
        page = await call('execute_cypher', { cursor: page.structuredContent.cursor });
    }
    const unknown = await call('execute_cyper', { query: 'RETURN 1' }).then(answer => ({ answer }), error => ({ thrown: thrown(error) }));
    const missing = await client.readResource({ uri: 'graph://nothing/schema' }).catch(thrown);
    const resources = await client.listResources();
    const schema = await client.readResource({ uri: 'graph://nba/schema' });
    const prompts = await client.listPrompts();
    const prompt = await client.getPrompt({ name: 'text_to_cypher', arguments: { question: 'Who plays for the Bulls?', graph: 'nba' } });
    const completed = await client.complete({ ref: { type: 'ref/prompt', name: 'text_to_cypher' }, argument: { name: 'graph', value: 'nb' } });
    await client.close();
    process.stdout.write(JSON.stringify({
        tools: tools.tools.map(tool => tool.name), answers, continued, unknown, missing,
        resources: resources.resources.map(resource => resource.uri), schema: schema.contents[0].text,
        prompts: prompts.prompts.map(each => each.name), messages: prompt.messages.length,
        completed: completed.completion.values,
    }));
}

export const target = () => JSON.parse(process.argv[3]); // {"command": …, "args": […]} or {"url": …}
