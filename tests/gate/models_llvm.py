# SPDX-License-Identifier: BSD-3-Clause
"""One instruction of each class of a model's file, and LLVM's figures of it: latency, cycles for which it keeps its units busy
(the reciprocal throughput), and the instructions that it is to the processor."""
import re
import shutil
import subprocess

LEAST_VERSION = 19  # before, Neoverse N1 has another processor's figures
PROCESSORS = {"zen3": "znver3", "skylake-sp": "skylake-avx512", "icelake-sp": "icelake-server", "neoverse-n1": "neoverse-n1"}

# One, or one each for 128, 256 and 512 bits; "" where there is none. Of memory there is nothing but what the class is for.
X86 = {
    "integer": "addl %esi, %eax",
    "integer_multiply": "imulq %rsi, %rax",
    "integer_divide_32": "divl %esi",
    "integer_divide_64": "divq %rsi",
    "fp_add": ["vaddpd %xmm1, %xmm2, %xmm0", "vaddpd %ymm1, %ymm2, %ymm0", "vaddpd %zmm1, %zmm2, %zmm0"],
    "fp_multiply": ["vmulpd %xmm1, %xmm2, %xmm0", "vmulpd %ymm1, %ymm2, %ymm0", "vmulpd %zmm1, %zmm2, %zmm0"],
    "fp_fma": ["vfmadd231pd %xmm1, %xmm2, %xmm0", "vfmadd231pd %ymm1, %ymm2, %ymm0", "vfmadd231pd %zmm1, %zmm2, %zmm0"],
    "fp_divide_32": ["vdivps %xmm1, %xmm2, %xmm0", "vdivps %ymm1, %ymm2, %ymm0", "vdivps %zmm1, %zmm2, %zmm0"],
    "fp_divide_64": ["vdivpd %xmm1, %xmm2, %xmm0", "vdivpd %ymm1, %ymm2, %ymm0", "vdivpd %zmm1, %zmm2, %zmm0"],
    "fp_sqrt_32": ["vsqrtps %xmm1, %xmm0", "vsqrtps %ymm1, %ymm0", "vsqrtps %zmm1, %zmm0"],
    "fp_sqrt_64": ["vsqrtpd %xmm1, %xmm0", "vsqrtpd %ymm1, %ymm0", "vsqrtpd %zmm1, %zmm0"],
    "fp_other": ["vmaxpd %xmm1, %xmm2, %xmm0", "vmaxpd %ymm1, %ymm2, %ymm0", "vmaxpd %zmm1, %zmm2, %zmm0"],
    "fp_compare": ["vcmppd $1, %xmm1, %xmm2, %xmm0", "vcmppd $1, %ymm1, %ymm2, %ymm0", ""],
    "fp_convert": ["vcvtsi2sd %eax, %xmm1, %xmm0", "", ""],
    "vector_integer": ["vpaddd %xmm1, %xmm2, %xmm0", "vpaddd %ymm1, %ymm2, %ymm0", "vpaddd %zmm1, %zmm2, %zmm0"],
    "vector_multiply": ["vpmullw %xmm1, %xmm2, %xmm0", "vpmullw %ymm1, %ymm2, %ymm0", "vpmullw %zmm1, %zmm2, %zmm0"],
    "atomic": "lock addl %esi, (%rdi)",
    "load": "movq (%rdi), %rax",
    "load_vector": ["vmovupd (%rdi), %xmm0", "vmovupd (%rdi), %ymm0", "vmovupd (%rdi), %zmm0"],
    "gather": ["vgatherdpd %xmm1, (%rdi,%xmm2,8), %xmm0", "vgatherdpd %ymm1, (%rdi,%xmm2,8), %ymm0", "vgatherdpd (%rdi,%ymm2,8), %zmm0 {%k1}"],
    "store": "movq %rax, (%rdi)",
    "store_vector": ["vmovupd %xmm0, (%rdi)", "vmovupd %ymm0, (%rdi)", "vmovupd %zmm0, (%rdi)"],
    "branch": "jne 0",
}
ARM64 = {
    "integer": "add w0, w1, w2",
    "integer_multiply": "mul w0, w1, w2",
    "integer_divide_32": "sdiv w0, w1, w2",
    "integer_divide_64": "sdiv x0, x1, x2",
    "fp_add": "fadd v0.2d, v1.2d, v2.2d",
    "fp_multiply": "fmul v0.2d, v1.2d, v2.2d",
    "fp_fma": "fmla v0.2d, v1.2d, v2.2d",
    "fp_divide_32": "fdiv s0, s1, s2",
    "fp_divide_64": "fdiv d0, d1, d2",
    "fp_sqrt_32": "fsqrt s0, s1",
    "fp_sqrt_64": "fsqrt d0, d1",
    "fp_other": "fmax d0, d1, d2",
    "fp_compare": "fcmp d0, d1",
    "fp_convert": "fcvtzs x0, d0",
    "vector_integer": "add v0.4s, v1.4s, v2.4s",
    "vector_multiply": "mul v0.4s, v1.4s, v2.4s",
    "load": "ldr x0, [x1]",
    "load_vector": "ldr q0, [x1]",
    "store": "str x0, [x1]",
    "store_vector": "str q0, [x1]",
    "branch": "b.ne #0",
}


def find():
    """llvm-mca, of LLVM 19 or later: its path and version; or None."""
    for name in ["llvm-mca", *(f"llvm-mca-{version}" for version in range(LEAST_VERSION, LEAST_VERSION + 10))]:
        path = shutil.which(name)
        said = path and subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"version (\d+)", said or "")
        if version and int(version.group(1)) >= LEAST_VERSION:
            return path, int(version.group(1))
    return None


def instructions(model):
    """(class, width, instruction) of all: width is 0, 1 or 2."""
    for name, text in (ARM64 if model == "neoverse-n1" else X86).items():
        for width, one in enumerate([text] if isinstance(text, str) else text):
            if one and not (model == "zen3" and "%zmm" in one):
                yield name, width, one


def figures(mca, model):
    """LLVM's figures, as {(class, width): (latency, busy, instructions)}, and the width of the processor."""
    rows = list(instructions(model))
    triple = "aarch64-linux-gnu" if model == "neoverse-n1" else "x86_64-linux-gnu"
    done = subprocess.run([mca, f"-mtriple={triple}", f"-mcpu={PROCESSORS[model]}", "-instruction-info", "-iterations=1"],
                          input="\n".join(text for _, _, text in rows) + "\n", capture_output=True, text=True, check=True)
    table = done.stdout.split("Instructions:\n")[1].split("\n\n")[0].splitlines()
    if len(table) != len(rows):
        raise SystemExit(f"{len(rows)} instructions, but llvm-mca has {len(table)}:\n{done.stdout}")
    out = {}
    for (name, width, _), line in zip(rows, table):
        ops, latency, busy = line.split()[:3]
        out[name, width] = float(latency), float(busy), float(ops)
    return out, float(re.search(r"Dispatch Width: +(\d+)", done.stdout).group(1))
