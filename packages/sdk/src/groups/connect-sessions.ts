import type {
  ConfirmOAuth,
  ConnectSession,
  CreateConnectSession,
  IntegrationAccount,
  ListConnectSessionsQuery,
  NewConnectSession,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Sessions in which one customer connects accounts. */
export class ConnectSessions extends Group {
  /** Creates a session. Redirect the person to the `url` of the response, or open it with `@linchpin/client`. */
  create(body: CreateConnectSession, options?: RequestOptions): Promise<NewConnectSession> {
    return this.sendPost('/connect_session', body, options)
  }

  /** Returns a session. */
  get(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession> {
    return this.sendGet(path`/connect_session/${connectSessionId}`, undefined, options)
  }

  /** The sessions of a workspace, newest first. */
  list(query?: ListConnectSessionsQuery, options?: RequestOptions): List<ConnectSession> {
    return this.listPages('/connect_session', query, options)
  }

  /** Revokes a session. */
  delete(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession> {
    return this.sendDelete(path`/connect_session/${connectSessionId}`, undefined, options)
  }

  /** Confirms an account that the person has connected by signing in. */
  confirm(
    connectSessionId: string,
    body: ConfirmOAuth,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/connect_session/${connectSessionId}/confirm`, body, options)
  }
}
