// Go 1.26 takes its random numbers from ProcessPrng. Windows 10 has it in bcryptprimitives.dll; Wine 8 has no such file.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size); // RtlGenRandom, in advapi32

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, size);
}
