import { z } from 'zod'

export const MonitorType = z.enum(['ping', 'tcp', 'http', 'dns'])
export type MonitorType = z.infer<typeof MonitorType>

export const MonitorStatus = z.enum(['unknown', 'online', 'degraded', 'offline', 'paused'])
export type MonitorStatus = z.infer<typeof MonitorStatus>

/** `noProbe`: no connected device can check it. */
export const AlertCondition = z.enum(['offline', 'degraded', 'responseTime', 'certificate', 'noProbe'])
export type AlertCondition = z.infer<typeof AlertCondition>
