import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Built, build } from '../../build/build.ts'
import { loadIntegration } from '../../build/load-integration.ts'
import type { Definition } from '../../definition.ts'
import { lint } from '../../lint/lint.ts'
import { type LocalServer, startLocalServer } from '../../test/local-server.ts'
import type { CliCommand, Output } from '../cli-command.ts'
import { Misuse } from '../misuse.ts'
import { createPublisher, type Publisher } from './publish.ts'
import { watchFolders } from './watch-folders.ts'

/** `dev`: serves the bundle, and builds it again whenever its folder changes, until it is stopped. */
export const devCommand: CliCommand = {
  usage: 'dev <file.ts> [--linchpin <url>] …',
  says: 'serves the bundle, and shows its form in a Linchpin; again when the file changes',
  flags: {
    port: 'where to serve; else 4020, and 0 is any that is free',
    linchpin: 'URL of the Linchpin that shows the form, such as http://localhost:3000',
    token: 'a token of it, or the file that holds one, such as data/owner-token',
  },
  async run(args, output) {
    const { file, port, publisher } = await readArgs(args)
    const { out } = output
    const stopped = new Promise<void>((stop) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop())
    })
    let current: Current | undefined
    let page: string | undefined
    const server = await listen(port, ({ url }, response) => {
      const path = url?.split('?')[0]
      if (path === '/' && page !== undefined) response.writeHead(302, { location: page }).end()
      else if (path === '/index.js' && current !== undefined)
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(current.built.code)
      else response.writeHead(404).end()
    })
    const { origin } = server
    const renew = async () => {
      const next = await rebuild(file, current, output)
      if (next === current || next === undefined) return
      current = next
      watchers.add(next.built.files)
      page = await show(publisher, next, `${origin}/index.js`, output).catch((error: Error) => {
        output.err(error.message)
        return page
      })
    }
    const host = new URL(origin).host
    out(`Serving ${origin}/index.js`)
    if (publisher === undefined)
      out(
        `To see its form: LINCHPIN_EGRESS_ALLOW=${host} npm start, then dev … --linchpin http://localhost:3000 --token data/owner-token`,
      )
    let running: Promise<unknown> = Promise.resolve()
    let isWaiting = false
    const changed = () => {
      if (isWaiting) return
      isWaiting = true
      // Editors write a file in several steps: one build follows them all. Builds follow one another.
      running = Promise.all([running, new Promise((done) => setTimeout(done, 50))]).then(() => {
        isWaiting = false
        return renew()
      })
    }
    const watchers = watchFolders(changed)
    watchers.add([resolve(file)])
    await stopped
    watchers.close()
    server.close()
    await running
    return 0
  },
}

interface Current {
  readonly built: Built
  readonly definition: Definition
}

async function readArgs(args: readonly string[]) {
  const options = {
    port: { type: 'string', default: '4020' },
    linchpin: { type: 'string' },
    token: { type: 'string' },
  } as const
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
  const [file, ...more] = positionals
  const port = /^\d+$/.test(values.port) ? Number(values.port) : -1
  const { linchpin: url, token } = values
  if (file === undefined || more.length > 0) throw new Misuse('Name the file of one integration.')
  if (!existsSync(file)) throw new Error(`${file} is not there.`)
  if (!(port >= 0 && port <= 65_535)) throw new Misuse('--port is a number up to 65535.')
  if ((url === undefined) !== (token === undefined))
    throw new Misuse('--linchpin and --token go together.')
  if (url === undefined || token === undefined) return { file, port, publisher: undefined }
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new Misuse('--linchpin is the URL of one, such as http://localhost:3000.')
  const said = token.startsWith('lp_') ? token : await readToken(token)
  const publisher = createPublisher({ url, token: said.trim(), fetch: globalThis.fetch })
  return { file, port, publisher }
}

async function readToken(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new Misuse(`--token is no token, and no file that can be read: ${file}`)
  })
}

async function listen(
  port: number,
  handler: Parameters<typeof startLocalServer>[0],
): Promise<LocalServer> {
  return startLocalServer(handler, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`Somebody listens on port ${port} already: say --port.`)
  })
}

/** The new bundle; the one before when the sources do not compile, or are the same. */
async function rebuild(
  file: string,
  before: Current | undefined,
  { out, err }: Output,
): Promise<Current | undefined> {
  try {
    const built = await build(file)
    if (built.sha256 === before?.built.sha256) return before
    const { definition } = loadIntegration(built.code)
    for (const fault of lint(definition)) err(`${file}: ${fault}`)
    out(`Built ${built.size} bytes, sha256 ${built.sha256}`)
    return { built, definition }
  } catch (error) {
    err((error as Error).message)
    return before
  }
}

/** Bundles never change under their URL: the digest makes another one of each. */
async function show(
  publisher: Publisher | undefined,
  { built, definition }: Current,
  url: string,
  { out }: Output,
): Promise<string | undefined> {
  const page = await publisher?.publish(definition, `${url}?${built.sha256.slice(0, 16)}`)
  if (page !== undefined) out(`Its form: ${page}, and always ${new URL(url).origin}`)
  return page
}
