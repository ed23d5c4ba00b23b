/** Files inside the executable: the addon that calls the Win32 API, and the program of the thread for blocking calls. */
export const addonAsset = 'koffi.node'
export const threadAsset = 'native-thread.cjs'
