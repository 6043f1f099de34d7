import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, Nullable, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import { ATTEMPT_ORIGINS, ATTEMPT_OUTCOMES } from '../../platform/record/attempt.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { AttemptId, ListedAttempt } from './attempt-store.ts'

const text = (description: string) => Nullable(Type.String({ description }))

export const AttemptResponse = StrictObject(
  {
    attemptId: IdOf<AttemptId>({ description: 'Identifier of the attempt.' }),
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    at: Timestamp('When the attempt ended.'),
    integrationDefinitionId: Nullable(
      IdOf<Id<'def'>>({ description: 'The tool; null if the request named none that it may use.' }),
    ),
    integrationDefinitionKey: text('Its key.'),
    integrationDefinitionName: text('Its name.'),
    authType: text('The method.'),
    via: Type.Unsafe<ListedAttempt['via']>({
      type: 'string',
      enum: [...ATTEMPT_ORIGINS],
      description:
        'api: a request to create or check an account; link, connect_session: a page; oauth: POST /v1/oauth.',
    }),
    outcome: Type.Unsafe<ListedAttempt['outcome']>({
      type: 'string',
      enum: [...ATTEMPT_OUTCOMES],
      description:
        'connected; accepted (a check found that the credentials work); failed; cancelled (the person declined); abandoned (no one returned from the sign-in).',
    }),
    code: text('Why it failed, as in the error or the event connect.failed.'),
    providerStatus: Nullable(
      Type.Integer({ description: "The HTTP status of the provider's last response, if known." }),
    ),
    providerRequestId: text(
      "The provider's id of that request, from the headers of its response; its support may ask for it.",
    ),
    requestId: text('The request that ended the attempt, as in the log.'),
    integrationAccountId: Nullable(
      IdOf<Id<'acc'>>({ description: 'The account that was connected or should be reconnected.' }),
    ),
    linkId: Nullable(IdOf<Id<'lnk'>>({ description: 'The link.' })),
    connectSessionId: Nullable(IdOf<Id<'cns'>>({ description: 'The connect session.' })),
    accountIdentifier: text('The accountIdentifier of the attempt.'),
  },
  {
    $id: 'Attempt',
    description: 'An attempt to connect an account, and how it ended.',
    examples: [
      {
        attemptId: 'cna_01kahn5s9kf5arr5d1x6z5cq3b',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        at: '2026-11-22T10:00:00.000Z',
        integrationDefinitionId: 'def_01kahn3w1ne2vb7gq4yq1c0m9t',
        integrationDefinitionKey: 'hubspot',
        integrationDefinitionName: 'HubSpot',
        authType: 'Access Token',
        via: 'link',
        outcome: 'failed',
        code: 'credentials_rejected',
        providerStatus: 401,
        providerRequestId: '9f2b7c1e-6a1d-4f7e-a1a2-0c9d8e7f6a5b',
        requestId: 'req-1842',
        integrationAccountId: null,
        linkId: 'lnk_3f9k2m8q0w7e5r1t6y4z3x9c8v2b7n1m',
        connectSessionId: null,
        accountIdentifier: 'customer-41',
      },
    ],
  },
)
export type AttemptResponse = Static<typeof AttemptResponse>

export function serializeAttempt(attempt: ListedAttempt): AttemptResponse {
  const { definitionId, definitionKey, definitionName, accountId, at, ...others } = attempt
  return {
    ...others,
    providerRequestId: attempt.providerRequestId ?? null,
    at: toTimestamp(at),
    integrationDefinitionId: definitionId,
    integrationDefinitionKey: definitionKey,
    integrationDefinitionName: definitionName,
    integrationAccountId: accountId,
  }
}
