import { DeletedAccount, IntegrationAccount } from './accounts/schemas/account.ts'
import { AccountCredentials } from './accounts/schemas/account-credentials.ts'
import {
  CheckAccount,
  CreateAccount,
  CreateAccountThroughLink,
  UpdateAccount,
} from './accounts/schemas/account-requests.ts'
import { CheckResponse } from './accounts/schemas/check-response.ts'
import { Category } from './definitions/category.ts'
import {
  CreateDefinition,
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
} from './definitions/definition.ts'
import { ReleaseStage } from './definitions/release-stage.ts'
import { ApiException } from './http/api-exception.ts'
import { CreateLink, ExtendedLink, Link } from './links/link.ts'
import { OAuthAppReport } from './oauth-apps/doctor/oauth-app-report.ts'
import {
  CreateOAuthApp,
  IntegrationOAuthApp,
  OAuthAppIds,
  UpdateOAuthApp,
} from './oauth-apps/oauth-app.ts'
import { ConfirmOAuth, StartedOAuth, StartOAuth } from './oauth-flow/oauth-schemas.ts'
import { CreateToken, NewToken, Token } from './tokens/token.ts'
import {
  BrokenAccount,
  DefinitionPreview,
  PreviewField,
} from './upgrades/preview/definition-preview.ts'
import { RollbackDefinition, UpgradeDefinition } from './upgrades/upgrade-requests.ts'
import { CreateUser, NewUser, User } from './users/user.ts'
import {
  CreateWorkspace,
  UpdateWorkspace,
  Workspace,
  WorkspaceSettings,
} from './workspaces/workspace.ts'

/** Every shape with a name: the components of the OpenAPI document. */
export const NAMED_SCHEMAS: readonly object[] = [
  ApiException,
  Category,
  ReleaseStage,
  IntegrationDefinition,
  ExtendedIntegrationDefinition,
  CreateDefinition,
  UpgradeDefinition,
  RollbackDefinition,
  DefinitionPreview,
  PreviewField,
  BrokenAccount,
  IntegrationAccount,
  DeletedAccount,
  CreateAccount,
  CreateAccountThroughLink,
  CheckAccount,
  CheckResponse,
  UpdateAccount,
  AccountCredentials,
  Link,
  ExtendedLink,
  CreateLink,
  IntegrationOAuthApp,
  OAuthAppIds,
  CreateOAuthApp,
  UpdateOAuthApp,
  OAuthAppReport,
  StartOAuth,
  StartedOAuth,
  ConfirmOAuth,
  User,
  CreateUser,
  NewUser,
  Workspace,
  WorkspaceSettings,
  CreateWorkspace,
  UpdateWorkspace,
  Token,
  NewToken,
  CreateToken,
]
