#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `linchpin-kit needs Node 24.15 or later; this is ${process.version}. In a clone of Linchpin, npm run kit brings its own.`,
  )
  process.exit(78)
}

// npm starts scripts in the root of the clone: paths mean the folder in which somebody typed them.
const { npm_package_name, npm_lifecycle_event, INIT_CWD } = process.env
if (npm_package_name === 'linchpin' && npm_lifecycle_event === 'kit' && INIT_CWD)
  process.chdir(INIT_CWD)

// Whoever reads may stop reading, as `head` does.
process.stdout.on('error', () => process.exit())

const { main } = await import('../src/cli/main.ts')
process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
})
