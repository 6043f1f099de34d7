import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuiltBundle, build } from '../../build/build.ts'
import { loadIntegration } from '../../build/load-integration.ts'
import type { Definition } from '../../definition.ts'
import { lint } from '../../lint/lint.ts'
import { lintPlaceholders } from '../../lint/placeholders.ts'
import { type LocalServer, startLocalServer } from '../../test/local-server.ts'
import { assertOk, createApiClient, type LinchpinOptions } from '../api-client.ts'
import type { CliCommand, Output } from '../cli-command.ts'
import { readToken } from '../read-token.ts'
import { UsageError } from '../usage-error.ts'

/** `dev`: serves the bundle, and rebuilds it after each change in its folder, until it is stopped. */
export const devCommand: CliCommand = {
  usage: 'dev <file.ts> [--linchpin <url>] …',
  description: 'serves the bundle, shows its form in a Linchpin, and rebuilds it after each change',
  flags: {
    port: 'port to serve on; default: 4020; 0 selects a free one',
    linchpin: 'URL of the Linchpin that shows the form, such as http://localhost:3000',
    token: 'an API token, or a file that contains one, such as data/owner-token',
  },
  async run(args, output) {
    const { file, port, publisher } = await readArgs(args)
    const { print } = output
    const stopped = new Promise<void>((stop) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop())
    })
    let current: CurrentBuild | undefined
    let page: string | undefined
    const server = await listen(port, ({ url }, response) => {
      const path = url?.split('?')[0]
      if (path === '/' && page !== undefined) response.writeHead(302, { location: page }).end()
      else if (path === '/index.js' && current !== undefined)
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(current.built.code)
      else response.writeHead(404).end()
    })
    const { origin } = server
    const rebuildAndPublish = async () => {
      const next = await rebuild(file, current, output)
      if (next === current || next === undefined) return
      current = next
      watchers.add(next.built.files)
      page = await publishBuild(publisher, next, `${origin}/index.js`, output).catch(
        (error: Error) => {
          output.printError(error.message)
          return page
        },
      )
    }
    const host = new URL(origin).host
    print(`Serving ${origin}/index.js`)
    if (publisher === undefined)
      print(
        `To see its form: LINCHPIN_EGRESS_ALLOW=${host} npm start, then dev … --linchpin http://localhost:3000 --token data/owner-token`,
      )
    let running: Promise<unknown> = Promise.resolve()
    let isWaiting = false
    const onChange = () => {
      if (isWaiting) return
      isWaiting = true
      // Editors write a file in several steps: wait for all of them. Builds run one at a time.
      running = Promise.all([running, new Promise((done) => setTimeout(done, 50))]).then(() => {
        isWaiting = false
        return rebuildAndPublish()
      })
    }
    const watchers = watchFolders(onChange)
    watchers.add([resolve(file)])
    await stopped
    watchers.close()
    server.close()
    await running
    return 0
  },
}

interface CurrentBuild {
  readonly built: BuiltBundle
  readonly definition: Definition
}

async function readArgs(args: readonly string[]) {
  const options = {
    port: { type: 'string', default: '4020' },
    linchpin: { type: 'string' },
    token: { type: 'string' },
  } as const
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
  const [file, ...extra] = positionals
  const port = /^\d+$/.test(values.port) ? Number(values.port) : -1
  const { linchpin: url, token } = values
  if (file === undefined || extra.length > 0)
    throw new UsageError('Pass the file of one integration.')
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  if (!(port >= 0 && port <= 65_535)) throw new UsageError('--port must be a number up to 65535.')
  if ((url === undefined) !== (token === undefined))
    throw new UsageError('--linchpin and --token must be used together.')
  if (url === undefined || token === undefined) return { file, port, publisher: undefined }
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError('--linchpin must be a URL, such as http://localhost:3000.')
  const publisher = createPublisher({
    url,
    token: await readToken(token),
    fetch: globalThis.fetch,
  })
  return { file, port, publisher }
}

async function listen(
  port: number,
  handler: Parameters<typeof startLocalServer>[0],
): Promise<LocalServer> {
  return startLocalServer(handler, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is already in use: choose another one with --port.`)
  })
}

/** The new bundle; the previous one if the sources do not compile or are unchanged. */
async function rebuild(
  file: string,
  previous: CurrentBuild | undefined,
  { print, printError }: Output,
): Promise<CurrentBuild | undefined> {
  try {
    const built = await build(file)
    if (built.sha256 === previous?.built.sha256) return previous
    const { definition } = loadIntegration(built.code)
    for (const error of lint(definition)) printError(`${file}: ${error}`)
    for (const placeholder of lintPlaceholders(definition))
      printError(`${file}: before publishing: ${placeholder}`)
    print(`Built ${built.size} bytes, sha256 ${built.sha256}`)
    return { built, definition }
  } catch (error) {
    printError((error as Error).message)
    return previous
  }
}

/** A bundle never changes under its URL: the digest makes each URL unique. */
async function publishBuild(
  publisher: Publisher | undefined,
  { built, definition }: CurrentBuild,
  url: string,
  { print }: Output,
): Promise<string | undefined> {
  const page = await publisher?.publish(definition, `${url}?${built.sha256.slice(0, 16)}`)
  if (page !== undefined) print(`Its form: ${page}, and always ${new URL(url).origin}`)
  return page
}

/** Watches folders, because editors replace files, and a watched file would be the old one. */
interface WatchedFolders {
  /**
   * Also watches the folders of these files, and calls back once for new folders, in case something has just changed.
   */
  add(files: readonly string[]): void
  close(): void
}

/** Calls back after each change in a watched folder. */
function watchFolders(onChange: () => void): WatchedFolders {
  const watchers = new Map<string, FSWatcher>()
  return {
    add(files) {
      const folders = new Set(files.map((file) => dirname(file)))
      const added = [...folders].filter((folder) => !watchers.has(folder))
      for (const folder of added) watchers.set(folder, watch(folder, onChange))
      if (added.length > 0) onChange()
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** Publishes each build to a Linchpin, as one definition that nothing else uses. */
interface Publisher {
  /**
   * Returns the URL of a connect page that offers only this integration.
   *
   * @throws Error with Linchpin's message when it rejects the bundle
   */
  publish(definition: Definition, sourceUrl: string): Promise<string>
}

/**
 * Publishes to a Linchpin, as `<name> (dev)`. The first build uses the existing definition, or creates one, and creates
 * a link to it; later builds update the definition.
 */
function createPublisher(options: LinchpinOptions): Publisher {
  const origin = options.url.replace(/\/+$/, '')
  const call = createApiClient(options)
  let current: DevDefinition | undefined

  async function find(name: string): Promise<DevDefinition | undefined> {
    const all = assertOk(
      await call('GET', '/integration_definition'),
    ) as unknown as readonly DevDefinition[]
    return all.find((each) => each.name === name)
  }

  async function create(definition: Definition, sourceUrl: string): Promise<DevDefinition> {
    const { category: integrationType } = definition
    const body = { name: getDevName(definition), sourceUrl, integrationType }
    const first = await call('POST', '/integration_definition', body)
    if (first.status !== 409) return assertOk(first) as unknown as DevDefinition
    // A definition of an earlier build has the name, and has accounts, so it cannot be deleted.
    const name = `${body.name} ${new URL(sourceUrl).search.slice(1, 9)}`
    const second = await call('POST', '/integration_definition', { ...body, name })
    return assertOk(second) as unknown as DevDefinition
  }

  /** Returns false if the definition has to be created again. */
  async function upgrade(
    { integrationDefinitionId: id }: DevDefinition,
    sourceUrl: string,
    version: string,
  ) {
    const path = `/integration_definition/${id}`
    const upgraded = await call('POST', path, { sourceUrl, version })
    if (!CANNOT_UPGRADE_STATUSES.has(upgraded.status)) return assertOk(upgraded) !== undefined
    await call('DELETE', path)
    return false
  }

  async function createLink({
    integrationDefinitionId,
    name: linkName,
  }: DevDefinition): Promise<string> {
    const link = assertOk(await call('POST', '/link', { linkName, integrationDefinitionId }))
    return `${origin}/link/${link.linkId}`
  }

  return {
    async publish(definition, sourceUrl) {
      const previous = current ?? (await find(getDevName(definition)))
      const isNew = !previous || !(await upgrade(previous, sourceUrl, definition.version))
      const definitionInUse = isNew ? await create(definition, sourceUrl) : previous
      const page = (isNew ? undefined : previous.page) ?? (await createLink(definitionInUse))
      current = { ...definitionInUse, page }
      return page
    },
  }
}

/** A definition in Linchpin, and the page that offers it. */
interface DevDefinition {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly page?: string
}

function getDevName({ name }: Definition): string {
  return `${name} (dev)`
}

/** An older Linchpin cannot upgrade, the definition was deleted, or it already has this version. */
const CANNOT_UPGRADE_STATUSES: ReadonlySet<number> = new Set([404, 405, 409])
