#include "contract/work.h"

double work_of_case(const struct registration *registration, const struct reg_shape *shape)
{
    struct reg_plan plan = {0};
    double work = 0;
    if (!registration->plan(shape, &plan, NULL))
        return 0;
    for (int t = 0; t < plan.n_tensors; t++)
        work += (double)tensor_elements(&plan.tensor[t]);
    return work;
}

double work_of_registration(const struct registration *registration, const struct run_options *options)
{
    double work = 0;
    int n_patterns = __builtin_popcount(registration_patterns(registration));
    for (size_t i = 0; i < registration->n_shapes; i++)
        if (run_selects_shape(options, registration, &registration->shapes[i]))
            work += work_of_case(registration, &registration->shapes[i]) * n_patterns;
    for (size_t i = 0; i < registration->n_bytes; i++)
        if (run_selects_shape(options, registration, &registration->bytes[i].shape))
            work += work_of_case(registration, &registration->bytes[i].shape);
    return work;
}
