import type { ConfirmOAuth, ConnectSession, CreateConnectSession, IntegrationAccount, ListConnectSessionsQuery, NewConnectSession } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Sessions in which one customer connects accounts. */
export declare class ConnectSessions extends Group {
    /** Creates a session. Redirect the person to the `url` of the response, or open it with `@linchpin/client`. */
    create(body: CreateConnectSession, options?: RequestOptions): Promise<NewConnectSession>;
    /** Returns a session. */
    get(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession>;
    /** The sessions of a workspace, newest first. */
    list(query?: ListConnectSessionsQuery, options?: RequestOptions): List<ConnectSession>;
    /** Revokes a session. */
    delete(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession>;
    /** Confirms an account that the person has connected by signing in. */
    confirm(connectSessionId: string, body: ConfirmOAuth, options?: RequestOptions): Promise<IntegrationAccount>;
}
