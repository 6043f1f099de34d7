import { Account } from './account.js';
import { Accounts, AgentApprovals, AgentSessions, Attempts, Audit, BulkJobs, ConnectSessions, Customers, Definitions, Instance, Links, Members, OAuth, OAuthApps, Requests, SignInRequests, Statistics, Tokens, Users, WebhookEndpoints, Workspaces } from './api-groups.js';
import { Events } from './events.js';
import { type Fetch } from './send.js';
export interface LinchpinOptions {
    /** The base URL of the service, such as `https://connect.example.com`. */
    readonly baseUrl: string;
    /** An access token of the API: `lp_…`. */
    readonly token: string;
    /** Default: the global `fetch`. */
    readonly fetch?: Fetch | undefined;
    /** How long an attempt may take. Default: 30,000. */
    readonly timeoutMs?: number | undefined;
    /** Attempts after the first, for each call. Default: 3. */
    readonly maxRetries?: number | undefined;
}
/** The API of one Linchpin, used with one token. */
export declare class Linchpin {
    #private;
    readonly accounts: Accounts;
    readonly agentApprovals: AgentApprovals;
    readonly agentSessions: AgentSessions;
    readonly attempts: Attempts;
    readonly audit: Audit;
    readonly bulkJobs: BulkJobs;
    readonly connectSessions: ConnectSessions;
    readonly customers: Customers;
    readonly definitions: Definitions;
    readonly events: Events;
    readonly instance: Instance;
    readonly links: Links;
    readonly members: Members;
    readonly oauth: OAuth;
    readonly oauthApps: OAuthApps;
    readonly requests: Requests;
    readonly signInRequests: SignInRequests;
    readonly statistics: Statistics;
    readonly tokens: Tokens;
    readonly users: Users;
    readonly webhookEndpoints: WebhookEndpoints;
    readonly workspaces: Workspaces;
    /** @throws TypeError for a base URL or a token that cannot be used */
    constructor(options: LinchpinOptions);
    /** A connected account, to send requests to its provider. Sends nothing yet. @throws TypeError for an empty ID */
    account(integrationAccountId: string): Account;
}
