import { randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { IdOf, StrictObject } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import {
  buildSignInUrl,
  ConfirmedSignIn,
  type SignInRequest,
  type SignInRequestId,
  SignInRequestResponse,
  serializeSignInRequest,
} from './sign-in-request.ts'
import type { SignInRequestStore } from './sign-in-request-store.ts'

export interface SignInRequestDeps {
  readonly database: Database
  readonly signInRequests: SignInRequestStore
  readonly baseUrl: () => string
  readonly now: () => number
}

const SignInRequestParams = Type.Object({
  signInRequestId: IdOf<SignInRequestId>({ description: 'Value of `linchpin_request`.' }),
})

const getSignInRequestOperation = defineOperation({
  id: 'getSignInRequest',
  sdk: 'signInRequests.get',
  method: 'GET',
  path: '/v1/sign_in_request/:signInRequestId',
  tag: 'Agent sessions',
  summary: 'Get a sign-in request',
  description: 'Says why a person was sent to the sign-in page of the product.',
  scope: 'agents:approve',
  params: SignInRequestParams,
  response: SignInRequestResponse,
  returns: 'The request.',
  errors: ['sign_in_request_not_found'],
  handle: async (deps: SignInRequestDeps, caller, { params }) =>
    serializeSignInRequest(
      await requireRequest(deps, deps.database.read, caller, params.signInRequestId),
      deps.now(),
    ),
})

/** @throws ApiError `sign_in_request_not_found` */
async function requireRequest(
  { signInRequests }: SignInRequestDeps,
  db: Parameters<SignInRequestStore['find']>[0],
  caller: Caller,
  signInRequestId: SignInRequestId,
): Promise<SignInRequest> {
  const request = isId('sir', signInRequestId)
    ? await signInRequests.find(db, caller, signInRequestId)
    : undefined
  if (request === undefined) throw notFound('sign_in_request')
  return request
}

const ConfirmSignIn = StrictObject(
  {
    accountIdentifier: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The customer who is signed in at the product in this browser.',
    }),
  },
  { $id: 'ConfirmSignIn', examples: [{ accountIdentifier: 'customer-41' }] },
)
type ConfirmSignIn = Static<typeof ConfirmSignIn>

const confirmSignInRequestOperation = defineOperation({
  id: 'confirmSignInRequest',
  sdk: 'signInRequests.confirm',
  method: 'POST',
  path: '/v1/sign_in_request/:signInRequestId/confirm',
  tag: 'Agent sessions',
  summary: 'Say who is signed in',
  description:
    'Names the customer whose session the product has verified in this browser, never one from the request. Redirect the browser to `returnURL`.',
  scope: 'agents:approve',
  params: SignInRequestParams,
  body: ConfirmSignIn,
  response: ConfirmedSignIn,
  returns: 'The request, with the URL at which the person continues.',
  errors: ['sign_in_request_not_found', 'sign_in_request_ended'],
  audit: 'agent.sign_in_confirmed',
  config: { returnsSecret: true },
  handle: (deps: SignInRequestDeps, caller, { params, body }) =>
    confirmSignIn(deps, caller, params.signInRequestId, body),
})

/** How long the person may take to return. */
const CODE_MS = 2 * 60_000

/**
 * Names the customer in the browser that opened the page (interface: Confirm sign-in request).
 *
 * @throws ApiError `sign_in_request_not_found`, `sign_in_request_ended`
 */
async function confirmSignIn(
  deps: SignInRequestDeps,
  caller: Caller,
  signInRequestId: SignInRequestId,
  { accountIdentifier }: ConfirmSignIn,
): Promise<ConfirmedSignIn> {
  const code = randomBytes(32).toString('base64url')
  return deps.database.transaction(async (trx) => {
    const now = deps.now()
    const request = await requireRequest(deps, trx, caller, signInRequestId)
    const step = { signInRequestId, from: ['opened'] as const, now }
    const change = {
      codeHash: hashSecret(code),
      codeExpiresAt: now + CODE_MS,
      // Who consents is not known before.
      ...(request.purpose === 'consent'
        ? { isCustomer: true, expectedIdentifier: accountIdentifier }
        : { isCustomer: accountIdentifier === request.expectedIdentifier }),
    }
    if (!(await deps.signInRequests.update(trx, step, change))) throw createEndedError()
    const returnURL = `${buildSignInUrl(deps.baseUrl(), signInRequestId)}/return?code=${code}`
    const response = { ...serializeSignInRequest(request, now), returnURL }
    await record(trx, caller, now, {
      action: 'agent.sign_in_confirmed',
      workspaceId: request.workspaceId,
      subject: signInRequestId,
      response,
    })
    return response
  })
}

const refuseSignInRequestOperation = defineOperation({
  id: 'refuseSignInRequest',
  sdk: 'signInRequests.refuse',
  method: 'POST',
  path: '/v1/sign_in_request/:signInRequestId/refuse',
  tag: 'Agent sessions',
  summary: 'End a sign-in request',
  description: 'For a person who cannot or does not want to sign in. The URL stops working.',
  scope: 'agents:approve',
  params: SignInRequestParams,
  response: SignInRequestResponse,
  returns: 'The refused request.',
  errors: ['sign_in_request_not_found', 'sign_in_request_ended'],
  audit: 'agent.sign_in_refused',
  handle: (deps: SignInRequestDeps, caller, { params }) =>
    deps.database.transaction(async (trx) => {
      const request = await requireRequest(deps, trx, caller, params.signInRequestId)
      const response = serializeSignInRequest({ ...request, status: 'refused' }, deps.now())
      if (!(await refuseSignIn(deps, trx, caller, request, response))) throw createEndedError()
      return response
    }),
})

/** Ends a request, on behalf of the product, whose response it is, or of the page. @returns whether it had not ended */
export async function refuseSignIn(
  { signInRequests, now }: Pick<SignInRequestDeps, 'signInRequests' | 'now'>,
  trx: Transaction,
  actor: Parameters<typeof record>[1],
  { signInRequestId, workspaceId }: SignInRequest,
  response?: SignInRequestResponse,
): Promise<boolean> {
  const time = now()
  const step = { signInRequestId, from: ['created', 'opened', 'verified'] as const, now: time }
  if (!(await signInRequests.update(trx, step, { status: 'refused' }))) return false
  await record(trx, actor, time, {
    action: 'agent.sign_in_refused',
    workspaceId,
    subject: signInRequestId,
    response,
  })
  return true
}

/** The request is not in the state that a step needs. */
export function createEndedError(): ApiError {
  return new ApiError(
    'sign_in_request_ended',
    'No browser waits for this: its page was not opened, or the request has ended. Get sign-in request returns its status.',
  )
}

export const SIGN_IN_REQUEST_OPERATIONS = [
  getSignInRequestOperation,
  confirmSignInRequestOperation,
  refuseSignInRequestOperation,
]
