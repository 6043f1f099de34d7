import { getEventOperation } from './get-event.ts'
import { listEventsOperation } from './list-events.ts'

export const EVENT_OPERATIONS = [listEventsOperation, getEventOperation]
