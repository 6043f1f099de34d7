import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** French: what happened, and whose move it is. */
export const frFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`Vous, ou la personne qui gère votre ${tool}, avez refusé. Rien n’est partagé. Si c’était une erreur, recommencez.`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`${tool} n’a pas accepté la demande de connexion. Rien n’est partagé. Prévenez ${workspace} : la solution ne peut venir que de là.`,
  cancelled: ({ tool }) =>
    t`Vous avez annulé avant la réponse de ${tool}. Rien n’est connecté. Recommencez quand vous voulez.`,
  credentials_rejected: ({ tool, workspace }) =>
    t`${tool} n’a pas accepté votre saisie. Vérifiez-la ou saisissez autre chose. Si cela persiste, prévenez ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`Vous vous êtes connecté à ${tool} sous une autre identité qu’auparavant. Déconnectez-vous là-bas, puis recommencez avec la même personne.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} connaît cette clé, mais elle ne permet pas assez. Donnez-lui plus de droits dans ${tool} ou utilisez-en une autre.`,
  integration_failed: ({ tool, workspace }) =>
    t`La partie qui dialogue avec ${tool} a échoué. Vous n’y êtes pour rien ; prévenez ${workspace}.`,
  integration_timeout: ({ tool, workspace }) =>
    t`La partie qui dialogue avec ${tool} a mis trop de temps. Réessayez. Si cela persiste, prévenez ${workspace}.`,
  invalid_credentials: ({ tool }) =>
    t`${tool} n’a pas accepté cette clé. Copiez-la de nouveau en entier ou créez-en une nouvelle dans ${tool}.`,
  link_expired: ({ workspace }) => t`Le lien a expiré. Demandez-en un nouveau à ${workspace}.`,
  link_full: ({ workspace }) =>
    t`Tout ce que ce lien permet est connecté. Demandez-en un nouveau à ${workspace}.`,
  link_identifier_full: ({ workspace }) =>
    t`Vous avez connecté tout ce que ce lien permet. Demandez-en un nouveau à ${workspace}.`,
  link_revoked: ({ workspace }) => t`${workspace} a fermé le lien. Demandez-en un nouveau.`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`La connexion à ${tool} n’est pas encore prête. C’est à ${workspace} de s’en charger ; signalez-le.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} a changé quelque chose entre-temps. Revenez en arrière et recommencez.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`La réponse ne venait pas de là où vous vous êtes connecté à ${tool}. Pour votre sécurité, tout a été arrêté. Recommencez.`,
  other_browser: ({ tool }) =>
    t`Vous vous êtes connecté à ${tool} dans un autre navigateur. Pour votre sécurité, tout a été arrêté. Recommencez et restez dans le même navigateur.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`${workspace} a retiré sa demande et ${tool} n’a pas été connecté. Posez-y la question si vous le souhaitez encore.`,
  provider_error: ({ tool }) =>
    t`${tool} ne peut pas répondre pour le moment. Attendez quelques minutes, puis recommencez.`,
  provider_timeout: ({ tool }) =>
    t`${tool} a mis trop de temps à répondre. Attendez quelques minutes, puis recommencez.`,
  rate_limited: ({ tool }) =>
    t`${tool} nous demande de ralentir. Attendez une minute, puis réessayez.`,
  sign_in_overdue: ({ tool }) =>
    t`La connexion à ${tool} n’a pas été terminée en 10 minutes. Recommencez quand vous aurez le temps.`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`${tool} vous a laissé entrer, mais n’a pas accepté l’accès qu’il a donné. Recommencez. Si cela persiste, prévenez ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`Vous avez rouvert la fenêtre vers ${tool} ; celle-ci ne compte plus. Fermez-la et continuez dans l’autre.`,
  wrong_host: ({ tool }) =>
    t`Il n’y a pas de ${tool} à cette adresse. Vérifiez-la et copiez-la depuis votre navigateur quand vous êtes connecté.`,
  unknown: ({ tool, workspace }) =>
    t`${tool} n’a pas répondu comme prévu. Recommencez. Si cela persiste, prévenez ${workspace}.`,
}
