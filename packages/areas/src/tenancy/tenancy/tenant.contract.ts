import { id } from '@muster/kit/contract.ts'

/** Whose people, roles or reviews are meant, where that is not the caller's own tenant: an organization or a partner in reach. */
export const tenantInput = { partnerId: id().optional(), orgId: id().optional() }
