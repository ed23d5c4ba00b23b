import { id } from '@muster/kit/contract.ts'

/** Names another tenant than the caller's own: an organization or a partner within reach. */
export const tenantInput = { partnerId: id().optional(), orgId: id().optional() }
