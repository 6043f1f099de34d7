import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../../server/src/accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { registerOAuthApp } from '../../../server/test/register-oauth-app.ts'
import { runCli } from '../cli-test-context.ts'
import { type NangoReplica, type ReplicaConnection, startNangoReplica } from './nango-replica.ts'

/** A service with a definition for the provider of a Nango replica. */
export interface NangoImportContext extends RefreshTestContext {
  readonly nango: NangoReplica
  readonly definitionId: string
  /** The code of its bundle. */
  readonly bundle: string
  /** The client ID of the OAuth app. */
  readonly clientId: string
  readonly url: string
  /** A folder for reports. */
  readonly folder: string
  /** Adds connections with tokens of the provider; every third has an access token that has expired. */
  addConnections(count: number, overrides?: Partial<ReplicaConnection>): void
  /** Runs `linchpin import nango` in this process. */
  run(args: readonly string[]): Promise<Run>
  /** Runs it in a process; `onLine` receives each line, and a function that kills the process. */
  runProgram(
    args: readonly string[],
    onLine?: (line: string, kill: () => void) => void,
  ): Promise<ProgramRun>
  close(): Promise<void>
}

export interface Run {
  readonly code: number | null
  readonly lines: readonly string[]
  readonly stderr: string
}

export interface ProgramRun extends Run {
  /** The arguments of the process. */
  readonly args: readonly string[]
}

const PROGRAM = path.join(import.meta.dirname, '../../bin/linchpin.mjs')

export async function startNangoImportContext(
  options: { readonly hasPages?: boolean } = {},
): Promise<NangoImportContext> {
  const context = await startRefreshTestContext()
  const { t, provider } = context
  const nango = await startNangoReplica({ ...options, tokenUrl: `${provider.url}/token` })
  const bundle = createBundle(provider.url)
  const definition = await t.createDefinition({ code: bundle, name: 'Strict' })
  const { integrationDefinitionId } = definition
  const app = await registerOAuthApp(t, { integrationDefinitionId, clientSecret: 'app-secret' })
  const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-import-'))
  let count = 0
  return {
    ...context,
    nango,
    bundle,
    url,
    folder,
    definitionId: integrationDefinitionId,
    clientId: app.clientId ?? '',
    addConnections(added, overrides = {}) {
      for (let index = 0; index < added; index += 1) {
        count += 1
        const { accessToken, refreshToken } = provider.newFamily()
        const expiresAt = Date.now() + (count % 3 === 0 ? -1_000 : 3_600_000)
        nango.connections.push({
          id: `connection-${count}`,
          integration: 'strict',
          provider: 'strict',
          createdAt: '2025-03-01T09:30:00.000Z',
          credentials: {
            type: 'OAUTH2',
            access_token: accessToken,
            refresh_token: refreshToken,
            expires_at: new Date(expiresAt).toISOString(),
          },
          endUser: { id: `customer-${count}`, display_name: `Customer ${count}` },
          ...overrides,
        })
      }
    },
    run: (args) => run(args, createEnvironment(url, t.token, nango)),
    runProgram: (args, onLine) => runProgram(args, createEnvironment(url, t.token, nango), onLine),
    async close() {
      await context.close()
      await nango.close()
      await rm(folder, { recursive: true })
    },
  }
}

function createEnvironment(url: string, token: string, nango: NangoReplica) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const paths = { PATH, NODE_COMPILE_CACHE }
  return { ...paths, LINCHPIN_URL: url, LINCHPIN_TOKEN: token, NANGO_SECRET_KEY: nango.secretKey }
}

async function run(args: readonly string[], env: Record<string, string>): Promise<Run> {
  const { exitCode, stdout, stderr } = await runCli(['import', 'nango', ...args], { env })
  return { code: exitCode, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
}

async function runProgram(
  args: readonly string[],
  env: Record<string, string>,
  onLine: ((line: string, kill: () => void) => void) | undefined,
): Promise<ProgramRun> {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'import', 'nango', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    onLine?.(line, () => child.kill('SIGKILL'))
  })
  const closed = once(reader, 'close')
  const [code] = await exited
  await closed
  return { code: code as number | null, lines, stderr, args: child.spawnargs }
}

/** CHECK asks the API of the provider, which accepts the newest access token only. */
function createBundle(url: string): string {
  const input_specification = { type: 'object', properties: { region: { type: 'string' } } }
  const spec = {
    auth_specification: {
      OAuth2: {
        input_specification,
        authorization_url: `${url}/authorize`,
        token_url: `${url}/token`,
      },
      'Api Key': {
        input_specification: {
          type: 'object',
          required: ['api_key'],
          properties: { api_key: { type: 'string', format: 'password' } },
        },
      },
    },
  }
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') return { status: false, error: 'unknown' }
  if (config.api_key === 'a-good-key') return { status: true, error: '' }
  const response = await fetch('${url}/me', { headers: { authorization: 'Bearer ' + config.access_token } })
  return { status: response.ok, error: 'refused' }
}`
}
