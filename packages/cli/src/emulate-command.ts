import {
  CONSENTS,
  type Consent,
  loadProviders,
  type Provider,
  type RunningEmulator,
  startEmulator,
} from '@linchpin/emulator'
import type { CommandContext, ParsedCommand } from './command.ts'
import { suggest } from './suggest.ts'
import { UsageError } from './usage-error.ts'

/** `emulate`: providers on this computer, for tests without a network. */
export const EMULATE: ParsedCommand = {
  name: 'emulate',
  summary: 'Emulate providers on this computer, for tests without a network',
  description:
    'Serves sign-in, tokens and the documented requests of integrations on 127.0.0.1, until Ctrl-C. It shows that a product and Linchpin agree with what the documents of the providers say, not that the providers behave so.',
  positionals: ['key...?'],
  flags: [
    { name: 'all', description: 'emulates every integration of the catalogue' },
    {
      name: 'port',
      value: 'NUMBER',
      description: 'where to listen; default: 4250, 0 for a free one',
    },
    {
      name: 'consent',
      value: 'ANSWER',
      description:
        'what a sign-in gets: ask (a page; the default), allow, deny, or partial (all scopes but the last)',
    },
  ],
  async run(input, context) {
    const providers = selectProviders(await loadProviders(), input.positionals, input.has('all'))
    const consent = parseConsent(input.get('consent') ?? 'ask')
    const port = parsePort(input.get('port') ?? '4250')
    const { io } = context
    const emulator = await startEmulator({ providers, now: io.now, consent, port }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        throw new UsageError(`Port ${port} is taken. Choose another one with --port.`)
      },
    )
    printUse(emulator, providers, context)
    await untilAborted(io.signal)
    await emulator.close()
    return 0
  },
}

function selectProviders(
  all: readonly Provider[],
  keys: readonly string[],
  isAll: boolean,
): readonly Provider[] {
  if (isAll === keys.length > 0)
    throw new UsageError('Name integrations, such as github slack, or use --all.')
  const known = all.map(({ key }) => key)
  const unknown = keys.find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw new UsageError(`There is no integration ${unknown}.${suggest(unknown, known)}`)
  return isAll ? all : all.filter(({ key }) => keys.includes(key))
}

function parseConsent(text: string): Consent {
  const consent = CONSENTS.find((each) => each === text)
  if (consent === undefined) throw new UsageError(`--consent is one of ${CONSENTS.join(', ')}.`)
  return consent
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError('--port is a number, 0 to 65535.')
  return port
}

/** The first line is for programs: the address. */
function printUse(
  { origin }: RunningEmulator,
  providers: readonly Provider[],
  { io, isJson }: CommandContext,
) {
  if (isJson) {
    const keys = providers.map(({ key }) => key)
    io.stdout.write(`${JSON.stringify({ origin, keys })}\n`)
    return
  }
  const { host } = new URL(origin)
  const shown = providers
    .slice(0, MAX_SHOWN)
    .map(({ key, base }) => `  ${origin}/${key}  for  ${base}`)
  const rest = providers.length - shown.length
  io.stdout.write(`Emulating ${providers.length} integrations at ${origin}

A Linchpin node beside it sends every request to a provider here, with these settings:

  LINCHPIN_EMULATOR=${origin} LINCHPIN_EGRESS_ALLOW=${host} npm start

Other clients use these base URLs:

${shown.join('\n')}${rest > 0 ? `\n  and ${rest} more: open ${origin}` : ''}

Ctrl-C ends it.
`)
}

const MAX_SHOWN = 10

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
