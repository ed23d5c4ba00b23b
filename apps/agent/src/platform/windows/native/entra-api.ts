import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u32 } from './layout.ts'

/** DSREG_JOIN_INFO */
export const EntraJoin = struct({
  type: u32,
  certificate: pointer,
  deviceId: pointer,
  identityDomain: pointer,
  tenantId: pointer,
  userEmail: pointer,
  tenantName: pointer,
  enrollmentUrl: pointer,
  termsUrl: pointer,
  complianceUrl: pointer,
  settingsUrl: pointer,
  user: pointer,
})

/** Not declared with the other functions: older versions of Windows lack them, which throws here. */
export function entraApi() {
  const { func } = dll('netapi32')
  return {
    joinInformation: func<(tenant: null, join: Buffer) => number>('NetGetAadJoinInformation', 'int32_t', [
      'void *',
      'void *',
    ]),
    free: func<(join: Handle) => void>('NetFreeAadJoinInformation', 'void', ['intptr_t']),
  }
}
