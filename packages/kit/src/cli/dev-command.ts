import { watch } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { type Built, build } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lint } from '../lint/lint.ts'
import { startLocalServer } from '../test/local-server.ts'
import type { CliCommand, Output } from './cli-command.ts'
import { Misuse } from './misuse.ts'

/** `dev`: serves the bundle, and builds it again whenever its folder changes, until it is stopped. */
export const devCommand: CliCommand = {
  usage: 'dev <file.ts> [--port <number>]',
  says: 'serves the bundle, and builds it again when the file changes',
  async run(args, output) {
    const options = { port: { type: 'string', default: '4020' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file] = positionals
    const port = Number(values.port)
    if (file === undefined) throw new Misuse('Name the file of an integration.')
    if (!(port >= 0 && port <= 65_535)) throw new Misuse('--port is a number.')
    let built = await rebuild(file, undefined, output)
    const server = await startLocalServer(({ url }, response) => {
      const isBundle = url?.split('?')[0] === '/index.js' && built !== undefined
      response.writeHead(isBundle ? 200 : 404, { 'content-type': 'text/javascript' })
      response.end(isBundle ? built?.code : '')
    }, port)
    output.out(`Serving ${server.origin}/index.js`)
    output.out(`Start Linchpin with LINCHPIN_EGRESS_ALLOW=${new URL(server.origin).host}`)
    const stopped = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    })
    let running: Promise<void> | undefined
    const watcher = watch(dirname(file), () => {
      // Editors write a file in several steps: one build follows them all.
      running ??= new Promise((resolve) => setTimeout(resolve, 50)).then(async () => {
        running = undefined
        built = await rebuild(file, built, output)
      })
    })
    await stopped
    watcher.close()
    server.close()
    await running
    return 0
  },
}

/** The new bundle; the one before when the sources do not compile. */
async function rebuild(
  file: string,
  before: Built | undefined,
  { out, err }: Output,
): Promise<Built | undefined> {
  try {
    const built = await build(file)
    if (built.sha256 === before?.sha256) return before
    for (const fault of lint(loadIntegration(built.code).definition)) err(`${file}: ${fault}`)
    out(`Built ${built.size} bytes, sha256 ${built.sha256}`)
    return built
  } catch (error) {
    err((error as Error).message)
    return before
  }
}
