// The child process of run-in-node.ts. CommonJS, because hosts load bundles with `require`.
process.once('message', async ({ path, command, params }) => {
  try {
    const loaded = require(path)
    const main = [loaded, loaded.default, loaded.main].find((name) => typeof name === 'function')
    const answer = await main(command, params)
    process.send({ answer: JSON.stringify(answer) ?? 'null' })
  } catch (error) {
    process.send({ problem: String(error?.stack ?? error) })
  }
})
