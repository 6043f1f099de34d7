import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** French: what happened and what to do about it. */
export const frFailures: Messages['failures'] = {
  access_denied: () =>
    'L’accès a été refusé. Rien n’est partagé. Si c’était une erreur, recommencez.',
  authorization_request_failed: ({ workspace, tool }) =>
    t`${tool} n’a pas accepté la demande de connexion. Rien n’est partagé. Contactez ${workspace} : la solution ne peut venir que de là.`,
  cancelled: ({ tool }) =>
    t`Vous avez annulé avant la réponse de ${tool}. Rien n’est connecté. Recommencez quand vous voulez.`,
  credentials_rejected: ({ workspace, tool }) =>
    t`${tool} n’a pas accepté votre saisie. Vérifiez-la et réessayez. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
  egress_unavailable: ({ workspace, tool }) =>
    t`Nous n’avons pas pu joindre ${tool} à cause d’un problème de réseau de notre côté. Réessayez dans quelques minutes. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`Vous vous êtes connecté à ${tool} avec un autre compte qu’auparavant. Déconnectez-vous là-bas, puis recommencez avec le même compte.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} a accepté cette clé, mais elle ne permet pas assez. Donnez-lui plus de droits dans ${tool} ou utilisez-en une autre.`,
  integration_failed: ({ workspace, tool }) =>
    t`${tool} n’a pas pu être connecté à cause d’une erreur de notre côté. Réessayez ; si cela se reproduit, contactez ${workspace}.`,
  integration_timeout: ({ workspace, tool }) =>
    t`La connexion de ${tool} a pris trop de temps. Réessayez ; si cela se reproduit, contactez ${workspace}.`,
  invalid_credentials: ({ workspace, tool }) =>
    t`${tool} n’a pas accepté cette clé. Vérifiez que vous l’avez copiée en entier ou créez-en une nouvelle. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
  link_expired: ({ workspace }) => t`Ce lien a expiré. Demandez-en un nouveau à ${workspace}.`,
  link_full: ({ workspace }) =>
    t`Ce lien a atteint sa limite. Demandez-en un nouveau à ${workspace}.`,
  link_identifier_full: ({ workspace }) =>
    t`Vous avez connecté tout ce que ce lien permet. Demandez-en un nouveau à ${workspace}.`,
  link_revoked: ({ workspace }) => t`${workspace} a fermé ce lien. Demandez-en un nouveau.`,
  oauth_app_missing: ({ workspace, tool }) =>
    t`La connexion à ${tool} n’est pas encore configurée. Demandez à ${workspace} de la configurer.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} a modifié quelque chose entre-temps. Revenez en arrière et recommencez.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`La réponse ne venait pas du site où vous vous êtes connecté à ${tool}. Pour votre sécurité, nous avons tout arrêté. Recommencez.`,
  other_browser: ({ tool }) =>
    t`Vous vous êtes connecté à ${tool} dans un autre navigateur. Pour votre sécurité, nous avons tout arrêté. Recommencez dans un seul navigateur.`,
  oauth_start_revoked: ({ workspace, tool }) =>
    t`${workspace} a retiré cette demande ; ${tool} n’a donc pas été connecté. Contactez ${workspace} si vous souhaitez encore le connecter.`,
  provider_error: ({ tool }) =>
    t`${tool} ne répond pas pour le moment. Réessayez dans quelques minutes.`,
  provider_timeout: ({ tool }) =>
    t`${tool} a mis trop de temps à répondre. Réessayez dans quelques minutes.`,
  rate_limited: ({ tool }) =>
    t`${tool} limite les requêtes en ce moment. Attendez une minute, puis réessayez.`,
  sign_in_overdue: ({ tool }) =>
    t`La connexion à ${tool} n’a pas été terminée en 10 minutes. Recommencez quand vous serez prêt.`,
  sign_in_rejected: ({ workspace, tool }) =>
    t`Vous vous êtes connecté, mais ${tool} a ensuite refusé l’accès accordé. Recommencez ; si cela se reproduit, contactez ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`Vous avez rouvert ${tool} dans une autre fenêtre. Fermez celle-ci et continuez dans l’autre.`,
  wrong_host: ({ tool }) =>
    t`Il n’y a pas de ${tool} à cette adresse. Vérifiez-la ou copiez-la depuis votre navigateur quand vous êtes connecté.`,
  unknown: ({ workspace, tool }) =>
    t`${tool} a donné une réponse inattendue. Recommencez ; si cela se reproduit, contactez ${workspace}.`,
}
