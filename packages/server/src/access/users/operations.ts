import { createUserOperation } from './create-user.ts'
import { getUserOperation } from './get-user.ts'

export const USER_OPERATIONS = [getUserOperation, createUserOperation]
