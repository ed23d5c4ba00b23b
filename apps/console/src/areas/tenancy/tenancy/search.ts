import * as read from '../../../search.ts'

export const organizationStatuses = ['active', 'trial', 'suspended', 'churned'] as const

export const organizationsSearch = read.searchOf({
  q: read.text,
  status: read.oneOf(...organizationStatuses),
  partner: read.id,
  form: read.oneOf('new', 'order'),
})
export const organizationSearch = read.searchOf({ page: read.whole })
export const sitesSearch = read.searchOf({ page: read.whole, form: read.oneOf('new') })
export const partnersSearch = read.searchOf({ page: read.whole, form: read.oneOf('new') })
