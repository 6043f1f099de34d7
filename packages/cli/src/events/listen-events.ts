import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { CommandContext, CommandInput, ParsedCommand } from '../command.ts'
import { connect, resolveProfile } from '../connect.ts'
import { writePrivateFile } from '../profile-store.ts'
import { UsageError } from '../usage-error.ts'
import { FOLLOW_FLAGS, followEvents } from './follow-events.ts'
import { forwardEvent } from './forward-event.ts'
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
