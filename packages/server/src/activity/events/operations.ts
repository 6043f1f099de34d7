import { getEventOperation, listEventsOperation } from './event-operations.ts'

export const EVENT_OPERATIONS = [listEventsOperation, getEventOperation]
