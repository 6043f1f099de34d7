import { createUserOperation } from './create-user.ts'
import { getUserOperation } from './get-user.ts'

/** Those that need nothing but the database. */
export const USER_READS = [getUserOperation]

export const USER_OPERATIONS = [createUserOperation]
