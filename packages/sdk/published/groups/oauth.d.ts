import type { ConfirmOAuth, IntegrationAccount, StartedOAuth, StartOAuth } from '../api-types.js';
import { Group } from '../group.js';
import type { RequestOptions } from '../send.js';
/** Connecting an account by signing in at the provider. */
export declare class OAuth extends Group {
    /** Starts a sign-in. Redirect the person to the `redirectURL` of the response. */
    start(body?: StartOAuth, options?: RequestOptions): Promise<StartedOAuth>;
    /** Confirms that the person who signed in is the one whom you sent. The account is active then. */
    confirm(body: ConfirmOAuth, options?: RequestOptions): Promise<IntegrationAccount>;
}
