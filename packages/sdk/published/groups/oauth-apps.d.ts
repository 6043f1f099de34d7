import type { CreateOAuthApp, IntegrationOAuthApp, ListOAuthAppIdsQuery, ListOAuthAppsQuery, OAuthAppIds, OAuthAppReport, UpdateOAuthApp } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** The OAuth clients of a workspace at providers. */
export declare class OAuthApps extends Group {
    /** Stores the client that was registered at a provider. */
    create(body: CreateOAuthApp, options?: RequestOptions): Promise<IntegrationOAuthApp>;
    /** Returns an app, without its secret. */
    get(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp>;
    /** The apps of a workspace, oldest first. */
    list(query?: ListOAuthAppsQuery, options?: RequestOptions): List<IntegrationOAuthApp>;
    /** IDs and names only, for pages. */
    listIds(query?: ListOAuthAppIdsQuery, options?: RequestOptions): List<OAuthAppIds>;
    /** Changes an app. Without `clientSecret`, the stored secret remains. */
    update(integrationOAuthAppId: string, body?: UpdateOAuthApp, options?: RequestOptions): Promise<IntegrationOAuthApp>;
    /** Erases an app without live accounts. */
    delete(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp>;
    /** Sends one token request to the provider, and reports what it reveals. */
    test(integrationOAuthAppId: string, options?: RequestOptions): Promise<OAuthAppReport>;
}
