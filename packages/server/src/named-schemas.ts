import { DeletedAccount, IntegrationAccount } from './account/wire/account.ts'
import { AccountCredentials } from './account/wire/account-credentials.ts'
import {
  CheckAccount,
  CreateAccount,
  CreateAccountThroughLink,
  UpdateAccount,
} from './account/wire/account-requests.ts'
import { CheckAnswer } from './account/wire/check-answer.ts'
import { ConfirmOAuth, StartedOAuth, StartOAuth } from './connect/oauth-schemas.ts'
import { Category } from './definition/category.ts'
import {
  CreateDefinition,
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
} from './definition/definition.ts'
import { ReleaseStage } from './definition/release-stage.ts'
import { ApiException } from './http/api-exception.ts'
import { CreateLink, ExtendedLink, Link } from './link/link.ts'
import { OAuthAppReport } from './oauth-app/doctor/oauth-app-report.ts'
import {
  CreateOAuthApp,
  IntegrationOAuthApp,
  OAuthAppIds,
  UpdateOAuthApp,
} from './oauth-app/oauth-app.ts'
import { CreateToken, NewToken, Token } from './token/token.ts'
import { BrokenAccount, DefinitionPreview, PreviewField } from './upgrade/preview/preview-answer.ts'
import { RollbackDefinition, UpgradeDefinition } from './upgrade/upgrade-requests.ts'
import { CreateUser, NewUser, User } from './user/user.ts'
import {
  CreateWorkspace,
  UpdateWorkspace,
  Workspace,
  WorkspaceSettings,
} from './workspace/workspace.ts'

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
  CheckAnswer,
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
