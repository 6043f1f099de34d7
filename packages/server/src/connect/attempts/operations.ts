import { listAttemptsOperation } from './list-attempts.ts'

export const ATTEMPT_OPERATIONS = [listAttemptsOperation]
