import type { CallbackError } from '@muster/areas/access/sso/flow.contract.ts'
import type { SkipReason } from '@muster/areas/control/commands/commands.contract.ts'
import type { Advice } from '@muster/areas/error-advice.rules.ts'

/** Why a sign-in through an identity provider failed. */
export const callbackAdvice: Readonly<Record<CallbackError, Advice>> = {
  session_expired: {
    cause: 'The sign-in took more than ten minutes, was completed before, or began in another browser.',
    remedy: 'Start again.',
  },
  provider_not_found: {
    cause: 'The organization has no active identity provider, or it changed during the sign-in.',
    remedy: 'Activate the provider.',
  },
  domain_not_allowed: {
    cause: 'The email domain is not one of `allowedDomains`.',
    remedy: 'Sign in with another account, or allow the domain.',
  },
  user_not_found: {
    cause: 'The user is unknown and `autoProvision` is off, or another identity uses the address.',
    remedy: 'Invite the user.',
  },
  default_role_required: {
    cause: 'Users are created automatically, but the role for them was deleted.',
    remedy: 'Choose another `defaultRoleId`.',
  },
  no_org_access: {
    cause: 'The account is not an active member of the organization.',
    remedy: 'Invite or enable the member.',
  },
  provider_unavailable: { cause: 'The provider did not answer in time.', remedy: 'Try again later.' },
  access_denied: { cause: 'The provider or the user denied access.', remedy: 'Assign the user at the provider.' },
  sign_in_failed: {
    cause: 'The response of the provider is invalid.',
    remedy: 'Run `POST /sso/providers/:id/test` and read the audit log.',
  },
  email_not_verified: {
    cause: 'The provider sent no address, or an unverified one.',
    remedy: 'Verify the address at the provider.',
  },
}

/** Why a bulk command skipped a device. */
export const skipAdvice: Readonly<Record<SkipReason, Advice>> = {
  already_pending: { cause: 'The same command is pending for the device.', remedy: 'Wait for it, or cancel it.' },
  provisioned: { cause: 'The machine has not enrolled yet.', remedy: 'Enroll it.' },
  quarantined: { cause: 'The device is quarantined.', remedy: 'Release it.' },
  decommissioned: { cause: 'The device is decommissioned.', remedy: 'Leave it out.' },
  organization_suspended: { cause: 'The organization is suspended.', remedy: 'Reactivate the organization.' },
  agent_too_old: { cause: 'The agent does not know the command.', remedy: 'Update the agent.' },
  unsupported_platform: { cause: 'The operating system does not support it.', remedy: 'Leave the device out.' },
  missing_tool: {
    cause: 'The device lacks a program that the command or script language needs.',
    remedy: 'Install it, then refresh the inventory of the device.',
  },
  not_permitted: {
    cause: 'The agent has no permission for it, because it does not run as root.',
    remedy: 'Run the agent as root.',
  },
  maintenance: {
    cause: 'A maintenance window holds scripts back on the device.',
    remedy: 'Wait for its end, or send the script with `respectMaintenance: false`.',
  },
  missing_secret: {
    cause:
      'A secret that the script names exists neither for the site, the organization nor the partner of the device.',
    remedy: 'Create it. To use a secret of the partner, an organization needs it shared.',
  },
  scripts_not_allowed: {
    cause: 'A configuration policy does not allow scripts on the device.',
    remedy: 'Look at the settings in `GET /devices/:id/policies`, and change the policy that they come from.',
  },
  set_by_policy: {
    cause: 'A configuration policy sets what the command would change.',
    remedy: 'Look at the settings in `GET /devices/:id/policies`, and change the policy that they come from.',
  },
}
