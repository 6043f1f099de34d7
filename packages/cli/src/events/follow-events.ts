import type { Linchpin, LinchpinEvent } from '@linchpin/sdk'
import type { CommandInput, Flag } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import type { Position } from './position.ts'

/** Where to start, and which events. */
export const FOLLOW_FLAGS: readonly Flag[] = [
  {
    name: 'after',
    value: 'NUMBER|oldest',
    description: 'the sequence number to start after; default: the newest event so far',
  },
  { name: 'types', value: 'TYPES', description: 'only these types, separated by commas' },
  { name: 'workspace-id', value: 'ID', description: 'the workspace of the events' },
]

interface FollowOptions {
  /** Where an earlier call has stopped. The options of the command win. */
  readonly position: Position | undefined
  readonly signal: AbortSignal
}

/** Events in order, each once, over any number of lost connections. */
export async function* followEvents(
  linchpin: Linchpin,
  input: CommandInput,
  { position, signal }: FollowOptions,
): AsyncGenerator<LinchpinEvent, void, undefined> {
  const workspaceId = input.get('workspace-id')
  const types = input.get('types')
  const start =
    parseAfter(input.get('after')) ??
    position?.after ??
    (await findNewest(linchpin, { workspaceId }, signal))
  // So that a call that ends before the first event does not start later the next time.
  if (start !== 'oldest') await position?.save(start)
  const after = start === 'oldest' ? undefined : start
  yield* linchpin.events.tail({ workspaceId, types, after }, { signal })
}

function parseAfter(text: string | undefined): number | 'oldest' | undefined {
  if (text === undefined || text === 'oldest') return text
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError('--after must be a sequence number, or oldest.')
  return Number(text)
}

async function findNewest(
  linchpin: Linchpin,
  query: { readonly workspaceId: string | undefined },
  signal: AbortSignal,
): Promise<number | 'oldest'> {
  let newest: number | 'oldest' = 'oldest'
  for await (const { sequence } of linchpin.events.list({ ...query, limit: 1_000 }, { signal }))
    newest = sequence
  return newest
}
