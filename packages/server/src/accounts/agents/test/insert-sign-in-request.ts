import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { SIGN_IN_REQUEST, type SignInRequest, type SignInRequestId } from '../sign-in-request.ts'
import { createSignInRequestStore } from '../sign-in-request-store.ts'

/** Stores a sign-in request whose page is open in a browser. */
export async function insertSignInRequest(
  { database }: { readonly database: Database },
  { workspaceId, ...fields }: { readonly workspaceId: string } & Partial<SignInRequest>,
): Promise<SignInRequestId> {
  const now = Date.now()
  const signInRequestId = newId('sir', now)
  const request = {
    ...SIGN_IN_REQUEST.fromRow(SIGN_IN_REQUEST.sampleRow),
    signInRequestId,
    workspaceId: workspaceId as WorkspaceId,
    subject: newId('aap', now),
    createdAt: now,
    expiresAt: now + 600_000,
    ...fields,
  }
  await database.transaction((trx) => createSignInRequestStore(database).insert(trx, request))
  return signInRequestId
}
