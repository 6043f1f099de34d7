import type { Static, TSchema } from 'typebox'
import { type Caller, requireAccount } from '../../access/auth/caller.ts'
import { IdOf } from '../../platform/http/schema.ts'
import type { AccountId } from '../accounts/account.ts'

/** The call of a tool by the agent of a session. */
export interface ToolCall {
  readonly caller: Caller
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
}

/** A tool. `Deps` is what `call` needs. */
interface ToolDeclaration<Deps, Input extends TSchema> {
  readonly name: string
  /** For the model: every word is in the context of each conversation. */
  readonly description: string
  /** Hints for the client. What an agent may do is for the rules of its session. */
  readonly annotations: ToolAnnotations
  /** An object. The descriptions of its members are for the model, too. */
  readonly input: Input
  /** Returns what the model sees. @throws ApiError what the model sees as a failure */
  readonly call: (deps: Deps, call: ToolCall, input: Static<Input>) => Promise<object>
}

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
}

/** A tool whose input is checked by its own schema: `never` lets tools of all inputs be in one list. */
export interface Tool<Deps> extends Omit<ToolDeclaration<Deps, TSchema>, 'call'> {
  readonly call: (deps: Deps, call: ToolCall, input: never) => Promise<object>
}

/** Returns the declaration unchanged; it only lets TypeScript derive the type of the input from its schema. */
export function defineTool<Deps, Input extends TSchema>(
  tool: ToolDeclaration<Deps, Input>,
): Tool<Deps> {
  return tool
}

/** The argument that names an account. */
export const AccountArgument = IdOf<AccountId>({
  maxLength: 64,
  description: 'An id from list_accounts.',
})

/** An account of the session, which the store has yet to find. @throws ApiError `integration_account_not_found` */
export function requireSessionAccount(caller: Caller, accountId: AccountId): void {
  requireAccount(caller, true, accountId)
  caller.addLogFields?.({ accountId })
}
