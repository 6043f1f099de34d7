import type { CreateDefinition, DefinitionPreview, ExtendedIntegrationDefinition, GetDefinitionPreviewQuery, GetDefinitionQuery, GetDefinitionSpecQuery, IntegrationDefinition, ListDefinitionsQuery, RollbackDefinition, SetDefinitionIcon, UpgradeDefinition } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Integrations that can be connected. */
export declare class Definitions extends Group {
    /** Downloads a bundle, validates its spec and stores it as a custom definition. */
    create(body: CreateDefinition, options?: RequestOptions): Promise<IntegrationDefinition>;
    /** Returns a definition, by its ID or key. */
    get(integrationDefinitionId: string, query?: GetDefinitionQuery, options?: RequestOptions): Promise<ExtendedIntegrationDefinition>;
    /** Returns the spec: auth types and their fields. */
    getSpec(integrationDefinitionId: string, query?: GetDefinitionSpecQuery, options?: RequestOptions): Promise<Record<string, unknown>>;
    /** The definitions that a workspace can use. */
    list(query?: ListDefinitionsQuery, options?: RequestOptions): List<IntegrationDefinition>;
    /** Deletes a custom definition without live accounts. */
    delete(integrationDefinitionId: string, options?: RequestOptions): Promise<IntegrationDefinition>;
    /** Changes to another version. */
    upgrade(integrationDefinitionId: string, body?: UpgradeDefinition, options?: RequestOptions): Promise<ExtendedIntegrationDefinition>;
    /** Returns to an earlier version. */
    rollback(integrationDefinitionId: string, body?: RollbackDefinition, options?: RequestOptions): Promise<ExtendedIntegrationDefinition>;
    /** Sets or removes the icon. */
    setIcon(integrationDefinitionId: string, body: SetDefinitionIcon, options?: RequestOptions): Promise<IntegrationDefinition>;
    /** Starts to check what an upgrade would change, and which accounts it would break. */
    preview(integrationDefinitionId: string, body?: UpgradeDefinition, options?: RequestOptions): Promise<DefinitionPreview>;
    /** Returns the state of a preview. */
    getPreview(integrationDefinitionId: string, previewId: string, query?: GetDefinitionPreviewQuery, options?: RequestOptions): Promise<DefinitionPreview>;
}
