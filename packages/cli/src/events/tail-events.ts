import type { ParsedCommand } from '../command.ts'
import { toJsonLine } from '../output/escape-controls.ts'
import { FOLLOW_FLAGS, followEvents } from './follow-events.ts'
import { openPosition } from './position.ts'

/** `events tail`: JSON lines, one per event. */
export const TAIL_EVENTS: ParsedCommand = {
  name: 'events tail',
  summary: 'Print events as they happen, as JSON lines',
  description: 'Reconnects when the connection is lost, without losing or repeating an event.',
  positionals: [],
  flags: [
    ...FOLLOW_FLAGS,
    {
      name: 'position',
      value: 'FILE',
      description: 'a file that keeps the place: the next call continues after the last event',
    },
  ],
  run: async (input, { io, connect }) => {
    const file = input.get('position')
    const position = file === undefined ? undefined : await openPosition(file)
    const linchpin = await connect()
    for await (const event of followEvents(linchpin, input, { position, signal: io.signal })) {
      io.stdout.write(toJsonLine(event))
      await position?.save(event.sequence)
    }
    return 0
  },
}
