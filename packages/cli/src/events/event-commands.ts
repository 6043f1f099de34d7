import type { Command } from '../command.ts'
import { LISTEN_EVENTS } from './listen-events.ts'
import { TAIL_EVENTS } from './tail-events.ts'
import { TRIGGER_EVENT } from './trigger-event.ts'

/** What `linchpin events` does besides the operations of the API. */
export const EVENT_COMMANDS: readonly Command[] = [TAIL_EVENTS, LISTEN_EVENTS, TRIGGER_EVENT]
