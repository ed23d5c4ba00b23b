/** This operating system, as releases name it. */
export const osName: string = process.platform === 'win32' ? 'windows' : process.platform
