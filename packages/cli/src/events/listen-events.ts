import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { LinchpinEvent } from '@linchpin/sdk'
import type { CommandContext, CommandInput, ParsedCommand } from '../command.ts'
import { connect, resolveProfile } from '../connect.ts'
import type { Io } from '../io.ts'
import { writePrivateFile } from '../profile-store.ts'
import { UsageError } from '../usage-error.ts'
import { FOLLOW_FLAGS, followEvents } from './follow-events.ts'
import { openPosition } from './position.ts'

/** `events listen`: webhooks on a developer's computer, without an address that the service can reach. */
export const LISTEN_EVENTS: ParsedCommand = {
  name: 'events listen',
  summary: 'Forward events to a receiver on this computer, signed as webhooks',
  description:
    'Asks the service for events, signs each with a local secret as Standard Webhooks does, and sends it until the receiver accepts it. Events arrive in order; after an interruption the last one may arrive again, with the same webhook-id.',
  positionals: [],
  flags: [
    {
      name: 'forward-to',
      value: 'URL',
      description: 'where the receiver listens, such as http://localhost:3001/hooks. Required.',
    },
    ...FOLLOW_FLAGS,
    {
      name: 'position',
      value: 'FILE',
      description:
        'the file that keeps the place; default: one for each receiver, beside the profiles',
    },
    { name: 'show-secret', description: 'prints the local secret again' },
  ],
  run: listenEvents,
}

async function listenEvents(input: CommandInput, context: CommandContext): Promise<number> {
  const { io, profiles } = context
  const url = parseReceiver(input.get('forward-to'))
  const { secret, isNew } = await openSecret(path.join(profiles.folder, 'listen-secret'))
  const profile = await resolveProfile(context)
  const linchpin = connect(profile, io)
  const { url: service } = profile
  const place = [service, url, input.get('workspace-id') ?? '', input.get('types') ?? '']
  const name = createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 16)
  const file = input.get('position') ?? path.join(profiles.folder, `listen-${name}`)
  const position = await openPosition(file)
  if (isNew || input.has('show-secret')) io.stderr.write(`The secret of the webhooks: ${secret}\n`)
  io.stderr.write(`Forwarding events of ${service}. Ctrl-C ends it.\n`)
  for await (const event of followEvents(linchpin, input, { position, signal: io.signal })) {
    await forwardEvent(event, { url, secret }, io)
    await position.save(event.sequence)
  }
  return 0
}

function parseReceiver(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--forward-to is missing.')
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw new UsageError('--forward-to must be an http or https URL.')
  return new URL(text).href
}

/** The secret of a person's receivers. */
async function openSecret(
  file: string,
): Promise<{ readonly secret: string; readonly isNew: boolean }> {
  const stored = await readFile(file, 'utf8').catch(() => '')
  if (/^whsec_\S+\n$/.test(stored)) return { secret: stored.trim(), isNew: false }
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await writePrivateFile(file, `${secret}\n`)
  return { secret, isNew: true }
}

interface Target {
  readonly url: string
  /** `whsec_…` */
  readonly secret: string
}

const ATTEMPT_TIMEOUT_MS = 15_000
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000

/**
 * Sends an event until the receiver accepts it with 2xx: later events wait, so that they arrive in order. Each attempt has
 * the same ID and a new time. @throws the reason of the signal
 */
async function forwardEvent(event: LinchpinEvent, target: Target, io: Io): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    io.signal.throwIfAborted()
    const result = await send(event, target, io)
    io.stderr.write(`${event.sequence} ${event.type} ${result}\n`)
    if (/^2\d\d$/.test(result)) return
    await io.sleep(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt))
  }
}

/** The status of the response, or why there is none. */
async function send(event: LinchpinEvent, { url, secret }: Target, io: Io): Promise<string> {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)])
  const request = signEvent(event, { secret, now: io.now() })
  try {
    const response = await io.fetch(url, { method: 'POST', redirect: 'manual', ...request, signal })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return isTimeout ? 'no response in time' : 'unreachable'
  }
}

/** An event as a request of Standard Webhooks, signed with the `whsec_…` of a person. */
function signEvent(
  event: { readonly id: string },
  { secret, now }: { readonly secret: string; readonly now: number },
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(now / 1_000)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key)
    .update(`${event.id}.${timestamp}.${body}`)
    .digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
  return { body, headers }
}
