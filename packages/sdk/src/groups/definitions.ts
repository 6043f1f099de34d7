import type {
  CreateDefinition,
  DefinitionPreview,
  ExtendedIntegrationDefinition,
  GetDefinitionPreviewQuery,
  GetDefinitionQuery,
  GetDefinitionSpecQuery,
  IntegrationDefinition,
  ListDefinitionsQuery,
  RollbackDefinition,
  SetDefinitionIcon,
  UpgradeDefinition,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Integrations that can be connected. */
export class Definitions extends Group {
  /** Downloads a bundle, validates its spec and stores it as a custom definition. */
  create(body: CreateDefinition, options?: RequestOptions): Promise<IntegrationDefinition> {
    return this.sendPost('/integration_definition', body, options)
  }

  /** Returns a definition, by its ID or key. */
  get(
    integrationDefinitionId: string,
    query?: GetDefinitionQuery,
    options?: RequestOptions,
  ): Promise<ExtendedIntegrationDefinition> {
    return this.sendGet(path`/integration_definition/${integrationDefinitionId}`, query, options)
  }

  /** Returns the spec: auth types and their fields. */
  getSpec(
    integrationDefinitionId: string,
    query?: GetDefinitionSpecQuery,
    options?: RequestOptions,
  ): Promise<Record<string, unknown>> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/spec`,
      query,
      options,
    )
  }

  /** The definitions that a workspace can use. */
  list(query?: ListDefinitionsQuery, options?: RequestOptions): List<IntegrationDefinition> {
    return this.listPages('/integration_definition', query, options)
  }

  /** Deletes a custom definition without live accounts. */
  delete(
    integrationDefinitionId: string,
    options?: RequestOptions,
  ): Promise<IntegrationDefinition> {
    return this.sendDelete(
      path`/integration_definition/${integrationDefinitionId}`,
      undefined,
      options,
    )
  }

  /** Changes to another version. */
  upgrade(
    integrationDefinitionId: string,
    body?: UpgradeDefinition,
    options?: RequestOptions,
  ): Promise<ExtendedIntegrationDefinition> {
    return this.sendPost(path`/integration_definition/${integrationDefinitionId}`, body, options)
  }

  /** Returns to an earlier version. */
  rollback(
    integrationDefinitionId: string,
    body?: RollbackDefinition,
    options?: RequestOptions,
  ): Promise<ExtendedIntegrationDefinition> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/rollback`,
      body,
      options,
    )
  }

  /** Sets or removes the icon. */
  setIcon(
    integrationDefinitionId: string,
    body: SetDefinitionIcon,
    options?: RequestOptions,
  ): Promise<IntegrationDefinition> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/icon`,
      body,
      options,
    )
  }

  /** Starts to check what an upgrade would change, and which accounts it would break. */
  preview(
    integrationDefinitionId: string,
    body?: UpgradeDefinition,
    options?: RequestOptions,
  ): Promise<DefinitionPreview> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/preview`,
      body,
      options,
    )
  }

  /** Returns the state of a preview. */
  getPreview(
    integrationDefinitionId: string,
    previewId: string,
    query?: GetDefinitionPreviewQuery,
    options?: RequestOptions,
  ): Promise<DefinitionPreview> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/preview/${previewId}`,
      query,
      options,
    )
  }
}
