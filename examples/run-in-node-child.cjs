// The other side of run-in-node.ts. CommonJS, since that is what a bundle is loaded by.
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
