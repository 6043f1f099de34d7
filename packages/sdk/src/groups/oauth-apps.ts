import type {
  CreateOAuthApp,
  IntegrationOAuthApp,
  ListOAuthAppIdsQuery,
  ListOAuthAppsQuery,
  OAuthAppIds,
  OAuthAppReport,
  UpdateOAuthApp,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** The OAuth clients of a workspace at providers. */
export class OAuthApps extends Group {
  /** Stores the client that was registered at a provider. */
  create(body: CreateOAuthApp, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendPost('/integration_oauth', body, options)
  }

  /** Returns an app, without its secret. */
  get(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendGet(path`/integration_oauth/${integrationOAuthAppId}`, undefined, options)
  }

  /** The apps of a workspace, oldest first. */
  list(query?: ListOAuthAppsQuery, options?: RequestOptions): List<IntegrationOAuthApp> {
    return this.listPages('/integration_oauth', query, options)
  }

  /** IDs and names only, for pages. */
  listIds(query?: ListOAuthAppIdsQuery, options?: RequestOptions): List<OAuthAppIds> {
    return this.listAll('/integration_oauth/just_ids', query, options)
  }

  /** Changes an app. Without `clientSecret`, the stored secret remains. */
  update(
    integrationOAuthAppId: string,
    body?: UpdateOAuthApp,
    options?: RequestOptions,
  ): Promise<IntegrationOAuthApp> {
    return this.sendPost(path`/integration_oauth/${integrationOAuthAppId}`, body, options)
  }

  /** Erases an app without live accounts. */
  delete(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendDelete(path`/integration_oauth/${integrationOAuthAppId}`, undefined, options)
  }

  /** Sends one token request to the provider, and reports what it reveals. */
  test(integrationOAuthAppId: string, options?: RequestOptions): Promise<OAuthAppReport> {
    return this.sendPost(path`/integration_oauth/${integrationOAuthAppId}/test`, undefined, options)
  }
}
