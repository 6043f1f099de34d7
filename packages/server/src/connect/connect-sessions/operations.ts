import { createConnectSessionOperation } from './create-connect-session.ts'
import { deleteConnectSessionOperation } from './delete-connect-session.ts'
import { getConnectSessionOperation } from './get-connect-session.ts'
import { listConnectSessionsOperation } from './list-connect-sessions.ts'

export const CONNECT_SESSION_OPERATIONS = [
  createConnectSessionOperation,
  listConnectSessionsOperation,
  getConnectSessionOperation,
  deleteConnectSessionOperation,
]
