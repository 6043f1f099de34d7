import { createTokenOperation } from './create-token.ts'
import { deleteTokenOperation } from './delete-token.ts'
import { listTokensOperation } from './list-tokens.ts'

export const TOKEN_OPERATIONS = [createTokenOperation, listTokensOperation, deleteTokenOperation]
