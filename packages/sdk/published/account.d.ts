import type { AccountCredentials } from './api-types.js';
import type { Fetch, SendSettings } from './send.js';
/** An access token of the provider. */
export interface AccessToken {
    readonly accessToken: string;
    /** When it expires; undefined if that is unknown. */
    readonly expiresAt: Date | undefined;
}
export interface AccountDeps {
    readonly settings: SendSettings;
    getCredentials(integrationAccountId: string): Promise<AccountCredentials>;
}
/** A connected account: requests to its provider with its credentials, which remain in the service. */
export declare class Account {
    #private;
    readonly integrationAccountId: string;
    /** The base URL of the provider's API for clients that take a base URL and a key: the key is a token of Linchpin. */
    readonly proxyUrl: string;
    /** @throws TypeError for an ID that is empty */
    constructor(deps: AccountDeps, integrationAccountId: string);
    /**
     * `fetch` as the account: of a path of the provider's API, such as `/tickets`, or of a whole URL of the provider. Returns
     * the provider's response, whatever its status. Redirects of GET and HEAD are followed to hosts of the provider. It is
     * bound to the account, so it can be passed to libraries. Like `fetch`, it does not retry.
     *
     * @throws LinchpinError when the response is not the provider's, such as `needs_reauth`
     * @throws TypeError for a path that leaves the API, and as `fetch`
     */
    readonly fetch: Fetch;
    /**
     * A function that returns a valid access token, refreshed if necessary, for libraries that need one. Requires the
     * scope `credentials:read`. It throws a TypeError for an account without access token, such as one with an API key.
     */
    tokenProvider(): () => Promise<AccessToken>;
}
