import { parseArgs } from 'node:util'
import { build } from '../build/build.ts'
import { lintFile } from '../build/lint-file.ts'
import { loadIntegration } from '../build/load-integration.ts'
import type { Definition } from '../definition.ts'
import { assertOk, createApiClient } from './api-client.ts'
import type { CliCommand } from './cli-command.ts'
import { readToken } from './read-token.ts'
import { UsageError } from './usage-error.ts'

/** `publish`: uploads the bundle to a Linchpin, as a new definition or as the next version of the one with its name. */
export const publishCommand: CliCommand = {
  usage: 'publish <file.ts> [--url <url>]',
  description: 'checks an integration, and uploads its bundle to a Linchpin',
  flags: {
    url: 'URL of the Linchpin; default: LINCHPIN_URL, or http://localhost:3000',
    token: 'an API token, or a file that contains one; default: LINCHPIN_TOKEN',
    workspace: 'ID of the workspace; default: that of the token',
  },
  async run(args, { print, printError }, env) {
    const options = {
      url: { type: 'string' },
      token: { type: 'string' },
      workspace: { type: 'string' },
    } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file, ...extra] = positionals
    if (file === undefined || extra.length > 0)
      throw new UsageError('Pass the file of one integration.')
    const service = await resolveService(values, env)
    const { errors, placeholders } = await lintFile(file)
    const problems = [...errors, ...placeholders]
    for (const problem of problems) printError(`${file}: ${problem}`)
    if (problems.length > 0) return 1
    const { code } = await build(file)
    const call = createApiClient({ ...service, fetch: globalThis.fetch })
    print(await publish(call, loadIntegration(code).definition, code, values.workspace))
    return 0
  },
}

/** The service and its token: that of the environment is only sent to the URL of the environment, whatever `--url` says. */
async function resolveService(
  values: { readonly url?: string | undefined; readonly token?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<{ readonly url: string; readonly token: string }> {
  const tokenUrl = env.LINCHPIN_URL || 'http://localhost:3000'
  const url = values.url ?? tokenUrl
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError('--url must be a URL, such as http://localhost:3000.')
  if (values.token !== undefined) return { url, token: await readToken(values.token) }
  const token = env.LINCHPIN_TOKEN?.trim()
  if (!token)
    throw new UsageError('Set LINCHPIN_TOKEN to a token with the scope definitions:write.')
  if (!URL.canParse(tokenUrl) || new URL(url).origin !== new URL(tokenUrl).origin)
    throw new UsageError(
      `LINCHPIN_TOKEN is for ${tokenUrl}, so it was not sent to --url. Change LINCHPIN_URL, or pass the token of that service with --token FILE.`,
    )
  return { url, token }
}

/** Creates the definition, or upgrades the custom one with its name. Returns a sentence about the result. */
async function publish(
  call: ReturnType<typeof createApiClient>,
  { name, version, category: integrationType }: Definition,
  code: string,
  workspaceId: string | undefined,
): Promise<string> {
  const bundle = Buffer.from(code).toString('base64')
  const query = workspaceId === undefined ? '' : `?workspaceId=${encodeURIComponent(workspaceId)}`
  const listed = assertOk(await call('GET', `/integration_definition${query}`))
  const existing = (listed as unknown as readonly ListedDefinition[]).find(
    (each) => each.name === name && each.releaseStage.key === 'CUSTOM',
  )
  const target = workspaceId === undefined ? {} : { workspaceId }
  const response = existing
    ? await call('POST', `/integration_definition/${existing.integrationDefinitionId}`, { bundle })
    : await call('POST', '/integration_definition', { name, integrationType, bundle, ...target })
  const { integrationDefinitionId: id } = assertOk(response)
  if (existing === undefined) return `Created ${name} ${version}: ${id}`
  return existing.version === version
    ? `${name} ${version} is published already: ${id}`
    : `Upgraded ${name} from ${existing.version} to ${version}: ${id}`
}

interface ListedDefinition {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly version: string
  readonly releaseStage: { readonly key: string }
}
